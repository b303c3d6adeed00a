history = cnn.fit(train_ds, validation_data=val_ds, epochs=25, callbacks=[early_stop, reduce_lr], verbose=2)
