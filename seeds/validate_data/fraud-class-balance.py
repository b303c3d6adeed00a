print(creditcard["Class"].value_counts())
fraud_share = creditcard["Class"].mean()
print("Frauds: {:.3%} of the dataset".format(fraud_share))
