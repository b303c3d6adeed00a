telco = pd.get_dummies(telco, columns=["Contract", "PaymentMethod", "InternetService"], drop_first=True)
