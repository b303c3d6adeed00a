datagen = ImageDataGenerator(
    rescale=1.0 / 255,
    rotation_range=20,
    zoom_range=0.15,
    horizontal_flip=True,
    validation_split=0.2,
)
flow_args = dict(directory="../input/cats-and-dogs/train", target_size=(150, 150), class_mode="binary", batch_size=32)
train_gen = datagen.flow_from_directory(subset="training", shuffle=True, **flow_args)
val_gen = datagen.flow_from_directory(subset="validation", shuffle=False, **flow_args)
