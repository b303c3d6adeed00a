import os, warnings, logging
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
warnings.simplefilter(action="ignore", category=FutureWarning)
logging.getLogger("tensorflow").setLevel(logging.ERROR)
