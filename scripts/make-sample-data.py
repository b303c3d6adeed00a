"""Makes data for executing the sample notebooks: python scripts/make-sample-data.py OUT

Run it before recording trajectories of examples/notebooks (docs/reference/suites.md has the command). Needs pandas and openpyxl. All of it is
invented, from a fixed seed, and small.
"""

import os
import sqlite3
import sys

import numpy as np
import pandas as pd

OUT = sys.argv[1]
RANDOM = np.random.default_rng(13)


def place(name):
    path = os.path.join(OUT, name)
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    return path


def choose(values, count, shares=None):
    return RANDOM.choice(values, count, p=shares)


def telecom(count=900):
    tenure = RANDOM.integers(0, 72, count)
    monthly = RANDOM.uniform(18, 120, count).round(2)
    contract = choose(["Month-to-month", "One year", "Two year"], count, [0.5, 0.3, 0.2])
    risk = 0.1 + 0.4 * (contract == "Month-to-month") + 0.2 * (monthly > 80) - 0.003 * tenure
    frame = pd.DataFrame({
        "customerID": [f"{number:04d}-TEL" for number in range(count)],
        "gender": choose(["Female", "Male"], count),
        "Partner": choose(["Yes", "No"], count),
        "tenure": tenure,
        "PaperlessBilling": choose(["Yes", "No"], count),
        "InternetService": choose(["DSL", "Fiber optic", "No"], count),
        "Contract": contract,
        "PaymentMethod": choose(["Bank transfer", "Credit card", "Electronic check", "Mailed check"], count),
        "MonthlyCharges": monthly,
        # For new customers, who have not paid yet, the file contains a space.
        "TotalCharges": [" " if months == 0 else f"{months * price:.2f}" for months, price in zip(tenure, monthly)],
        "Churn": np.where(RANDOM.random(count) < risk, "Yes", "No"),
    })
    frame.to_csv(place("data/telecom_customers.csv"), index=False)
    os.makedirs(place("models"), exist_ok=True)
    open(place("models/.keep"), "w").close()


def diabetes(count=500):
    glucose = RANDOM.normal(120, 30, count).clip(0).round()
    mass = RANDOM.normal(32, 7, count).clip(0).round(1)
    age = RANDOM.integers(21, 80, count)
    chance = 1 / (1 + np.exp(-(0.04 * (glucose - 130) + 0.08 * (mass - 33) + 0.02 * (age - 40))))
    unknown = lambda values: np.where(RANDOM.random(count) < 0.06, 0, values)
    pd.DataFrame({
        "Pregnancies": RANDOM.poisson(3, count),
        "Glucose": unknown(glucose),
        "BloodPressure": unknown(RANDOM.normal(70, 12, count).round()),
        "SkinThickness": unknown(RANDOM.normal(27, 9, count).clip(5).round()),
        "Insulin": unknown(RANDOM.gamma(2, 70, count).round()),
        "BMI": unknown(mass),
        "DiabetesPedigreeFunction": RANDOM.gamma(2, 0.24, count).round(3),
        "Age": age,
        "Outcome": (RANDOM.random(count) < chance).astype(int),
    }).to_csv(place("diabetes.csv"), index=False)


def invoices(count=4000):
    customer = RANDOM.zipf(1.4, count).clip(max=400).astype(float) + 12000
    customer[RANDOM.random(count) < 0.05] = np.nan
    number = 500000 + np.sort(RANDOM.integers(0, count // 3, count))
    cancelled = RANDOM.random(count) < 0.03
    pd.DataFrame({
        "InvoiceNo": [f"C{each}" if gone else str(each) for each, gone in zip(number, cancelled)],
        "Description": choose(["mug", "lamp", "clock", "basket", "candle"], count),
        "Quantity": np.where(cancelled, -1, 1) * RANDOM.integers(1, 30, count),
        "InvoiceDate": pd.Timestamp("2022-01-03") + pd.to_timedelta(np.sort(RANDOM.integers(0, 360 * 24, count)), unit="h"),
        "UnitPrice": RANDOM.gamma(2, 2, count).round(2),
        "CustomerID": customer,
    }).to_excel(place("invoices_2022.xlsx"), index=False)


def houses(count=600):
    area = RANDOM.normal(1500, 450, count).clip(500).round()
    built = RANDOM.integers(1900, 2010, count)
    optional = lambda values, share: np.where(RANDOM.random(count) < share, values, None)
    frame = pd.DataFrame({
        "Id": np.arange(1, count + 1),
        "Neighborhood": choose(["Old Town", "Mill Creek", "Harbour", "Fairview"], count),
        "LotFrontage": np.where(RANDOM.random(count) < 0.15, np.nan, RANDOM.normal(70, 20, count).round()),
        "LotArea": RANDOM.gamma(6, 1700, count).round(),
        "YearBuilt": built,
        "YrSold": RANDOM.integers(2006, 2011, count),
        "GrLivArea": area,
        "1stFlrSF": (area * 0.65).round(),
        "2ndFlrSF": (area * 0.35).round(),
        "TotalBsmtSF": (area * 0.6).round(),
        "GarageArea": RANDOM.normal(470, 150, count).clip(0).round(),
        "GarageCars": RANDOM.integers(0, 4, count),
        "MasVnrArea": RANDOM.gamma(1, 100, count).round(),
        "PoolArea": np.where(RANDOM.random(count) < 0.02, 500, 0),
        "PoolQC": optional("Gd", 0.02),
        "Alley": optional("Grvl", 0.1),
        "Fence": optional("MnPrv", 0.2),
        "FireplaceQu": optional("TA", 0.5),
        "GarageType": optional("Attchd", 0.9),
        "GarageFinish": optional("Unf", 0.9),
        "BsmtQual": optional("Gd", 0.95),
        "KitchenQual": optional("TA", 0.99),
    })
    frame["SalePrice"] = (60 * area + 900 * (built - 1900) + RANDOM.normal(0, 15000, count) + 20000).clip(30000).round()
    frame[:400].to_csv(place("input/house-prices/train.csv"), index=False)
    frame[400:].drop(columns="SalePrice").to_csv(place("input/house-prices/test.csv"), index=False)


def loans(count=1500):
    income = RANDOM.gamma(4, 11000, count).round()
    amount = RANDOM.gamma(3, 6000, count).round()
    pd.DataFrame({
        "applicant_id": np.arange(count),
        "application_date": pd.Timestamp("2020-01-01") + pd.to_timedelta(RANDOM.integers(0, 500, count), unit="D"),
        "annual_income": income,
        "loan_amount": amount,
        "monthly_installment": (amount / 36).round(2),
        "collateral_value": np.where(RANDOM.random(count) < 0.2, np.nan, (amount * RANDOM.uniform(0.6, 2, count)).round()),
        "employment_months": np.where(RANDOM.random(count) < 0.1, np.nan, RANDOM.integers(0, 300, count)),
        "housing": choose(["own", "rent", "family"], count),
        "purpose": choose(["car", "furniture", "education", "repairs"], count),
        "default_flag": (RANDOM.random(count) < (0.08 + 0.3 * (amount > 0.6 * income))).astype(int),
    }).to_csv(place("input/loan-applications/applications.csv"), index=False)
    credits = 3 * count
    pd.DataFrame({
        "credit_id": np.arange(credits),
        "applicant_id": RANDOM.integers(0, count, credits),
        "outstanding_amount": RANDOM.gamma(2, 2000, credits).round(),
        "days_overdue": np.where(RANDOM.random(credits) < 0.8, 0, RANDOM.integers(1, 90, credits)),
        "status": choose(["Active", "Closed"], credits),
    }).to_csv(place("input/loan-applications/bureau_history.csv"), index=False)


def films(users=120, titles=60, count=5000):
    # Few films, so that some have the 200 ratings that the notebook asks for.
    names = ["Toy Harbour", *(f"{first} {second}" for first in ["Silent", "Golden", "Last", "Northern", "Paper", "Broken"] for second in
             ["River", "Garden", "Letter", "Winter", "Mirror", "Train", "Island", "Crown", "Street", "Storm"])][:titles]
    place("ml/ratings.dat")
    with open(place("ml/movies.dat"), "w", encoding="latin-1") as file:
        for number, name in enumerate(names, 1):
            file.write(f"{number}::{name} ({1960 + number % 40})::{choose(['Drama', 'Comedy', 'Thriller'], 1)[0]}\n")
    taste, quality = RANDOM.normal(0, 0.5, users), RANDOM.normal(3.5, 0.6, titles)
    with open(place("ml/ratings.dat"), "w") as file:
        seen = set()
        while len(seen) < count:
            user, film = int(RANDOM.integers(users)), min(titles - 1, int(RANDOM.exponential(titles / 3)))
            if (user, film) in seen:
                continue
            seen.add((user, film))
            stars = int(np.clip(round(quality[film] + taste[user] + RANDOM.normal(0, 0.7)), 1, 5))
            file.write(f"{user + 1}::{film + 1}::{stars}::{978300000 + len(seen) * 60}\n")


def passengers():
    months = pd.date_range("2008-01-01", "2019-12-01", freq="MS")
    trend = np.linspace(180, 420, len(months))
    season = 1 + 0.2 * np.sin((months.month.to_numpy() - 4) / 12 * 2 * np.pi)
    values = (trend * season * RANDOM.normal(1, 0.02, len(months))).round()
    path = place("data/airport_statistics.xlsx")
    pd.DataFrame({"Month": months, "Passengers": values}).to_excel(path, sheet_name="monthly", startrow=2, index=False)
    open(place("output/.keep"), "w").close()


def shop(customers=300, orders=2500):
    path = place("shop.db")
    if os.path.exists(path):
        os.remove(path)
    dates = lambda count, start, days: (pd.Timestamp(start) + pd.to_timedelta(np.sort(RANDOM.integers(0, days, count)), unit="D")).strftime("%Y-%m-%d")
    products = pd.DataFrame({
        "product_id": np.arange(1, 41),
        "name": [f"{kind} {number}" for kind in ["tea", "coffee", "cup", "pot"] for number in range(1, 11)],
        "category": np.repeat(["tea", "coffee", "cups", "pots"], 10),
    })
    items = 2 * orders
    with sqlite3.connect(path) as database:
        products.to_sql("products", database, index=False)
        pd.DataFrame({
            "customer_id": np.arange(1, customers + 1),
            "country": choose(["NO", "AT", "PT", "IE"], customers),
            "signup_date": dates(customers, "2021-01-01", 700),
            "newsletter": RANDOM.integers(0, 2, customers),
        }).to_sql("customers", database, index=False)
        pd.DataFrame({
            "order_id": np.arange(1, orders + 1),
            "customer_id": RANDOM.integers(1, customers + 1, orders),
            "ordered_at": dates(orders, "2021-10-01", 700),
            "status": choose(["paid", "shipped", "delivered", "cancelled"], orders),
        }).to_sql("orders", database, index=False)
        pd.DataFrame({
            "order_id": RANDOM.integers(1, orders + 1, items),
            "product_id": RANDOM.integers(1, 41, items),
            "quantity": RANDOM.integers(1, 6, items),
            "unit_price": RANDOM.uniform(3, 30, items).round(2),
        }).to_sql("order_items", database, index=False)


for make in (telecom, diabetes, invoices, houses, loans, films, passengers, shop):
    make()
