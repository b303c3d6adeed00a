with open("model_architecture.json", "w") as fh:
    fh.write(emotion_net.to_json())
emotion_net.save_weights("emotion_weights.h5")
emotion_net.save("emotion_full_model.keras")
