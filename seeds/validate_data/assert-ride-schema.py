expected = {
    "ride_id": "object",
    "start_time": "datetime64[ns]",
    "duration_min": "float64",
    "member": "bool",
}
for col, kind in expected.items():
    assert col in rides.columns, f"column {col} is missing"
    assert str(rides[col].dtype) == kind, f"{col}: {rides[col].dtype} != {kind}"
assert rides["ride_id"].is_unique
assert rides["duration_min"].between(0, 24 * 60).all()
print("all checks passed ✔")
