images, labels = [], []
for label, folder in enumerate(["no", "yes"]):
    path = os.path.join("../input/brain-mri/brain_tumor_dataset", folder)
    for fname in tqdm(sorted(os.listdir(path))):
        img = cv2.imread(os.path.join(path, fname), cv2.IMREAD_GRAYSCALE)
        if img is None:
            continue
        img = cv2.resize(img, (128, 128), interpolation=cv2.INTER_AREA)
        images.append(img)
        labels.append(label)
images = np.array(images, dtype="float32")[..., np.newaxis] / 255.0
labels = np.array(labels)
print(images.shape, labels.mean())
