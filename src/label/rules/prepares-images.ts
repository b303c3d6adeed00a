import { type Rule, words } from "../rule.js";

export const preparesImages: Rule = {
  name: "prepares-images",
  label: "process_data",
  description: "Resizes or augments images, or builds batches from data.",
  strength: 0.75,
  any: {
    calls: words(`
      ImageDataGenerator resize cvtColor img_to_array Compose Resize ToTensor RandomCrop RandomHorizontalFlip
      DataLoader TensorDataset data_loader get_transforms expand_dims grayscale random_flip RandomRotation
      RandomResizedCrop CenterCrop RandomVerticalFlip ColorJitter GaussianBlur adaptiveThreshold equalizeHist
      image_to_array preprocess_input warpAffine
    `),
    methods: words(`
      resize normalize cvtColor crop shuffle reshape batch prefetch label_from_folder databunch add_test to_tensor
      astype
    `),
  },
};
