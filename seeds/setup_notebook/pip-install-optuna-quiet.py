!pip install -q optuna==3.4.0 iterative-stratification
