def load_call(xc_id, species, sr=32000, seconds=5):
    fp = f"../input/birdsong-recognition/train_audio/{species}/{xc_id}.mp3"
    wave, _ = librosa.load(fp, sr=sr, mono=True, duration=seconds)
    if len(wave) < sr * seconds:
        wave = np.pad(wave, (0, sr * seconds - len(wave)))
    mel = librosa.feature.melspectrogram(y=wave, sr=sr, n_mels=128, fmin=20, fmax=16000)
    return librosa.power_to_db(mel, ref=np.max)
