from google.colab import drive
drive.mount("/content/drive")
%cd /content/drive/MyDrive/kaggle/plant-pathology
!ls -lh
