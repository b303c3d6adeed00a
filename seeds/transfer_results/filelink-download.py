from IPython.display import FileLink
os.chdir("/kaggle/working")
FileLink("final_output.zip")
