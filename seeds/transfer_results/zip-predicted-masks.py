with zipfile.ZipFile("masks.zip", "w", zipfile.ZIP_DEFLATED) as zf:
    for img_id, prob in zip(test_ids, mask_probs):
        binary = (prob > 0.45).astype(np.uint8) * 255
        binary = cv2.resize(binary, (1024, 1024), interpolation=cv2.INTER_NEAREST)
        ok, buf = cv2.imencode(".png", binary)
        if ok:
            zf.writestr(f"{img_id}.png", buf.tobytes())
