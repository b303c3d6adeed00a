ids_train = set(train_meta.patient_id.unique())
ids_valid = set(valid_meta.patient_id.unique())
overlap = ids_train & ids_valid
print(f"{len(overlap)} patients are in both train and validation")
valid_meta = valid_meta[~valid_meta.patient_id.isin(overlap)]
