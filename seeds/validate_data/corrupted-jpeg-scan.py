from PIL import Image, UnidentifiedImageError

bad_files = []
for fp in Path("../input/food-41/images").rglob("*.jpg"):
    try:
        with Image.open(fp) as im:
            im.verify()
    except (UnidentifiedImageError, OSError) as err:
        print(fp.name, "->", err)
        bad_files.append(fp)
print(f"{len(bad_files)} broken images")
