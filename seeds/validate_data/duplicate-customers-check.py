dup_mask = customers.duplicated(subset=["email", "birth_date"], keep=False)
print("Number of duplicated customers:", dup_mask.sum())
customers[dup_mask].sort_values("email").head(8)
