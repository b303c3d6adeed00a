import { type Rule, words } from "../rule.js";

export const buildsNetworks: Rule = {
  name: "builds-networks",
  label: "train_model",
  description: "Builds or compiles a neural network.",
  strength: 0.9,
  any: {
    calls: words(`
      Sequential Dense Conv2D MaxPooling2D LSTM GRU Dropout BatchNormalization Embedding Linear Conv2d ReLU
      CrossEntropyLoss BCEWithLogitsLoss BCELoss MSELoss Adam SGD RMSprop EarlyStopping ReduceLROnPlateau
      ModelCheckpoint StepLR LearningRateScheduler resnet resnet34 resnet50 VGG16 InceptionV3
      GlobalAveragePooling2D Flatten MaxPool2d KerasClassifier KerasRegressor ConvTranspose2d densenet
      create_model build_model
    `),
    methods: [
      "compile",
      "add_module",
      "zero_grad",
      "backward",
      "load_state_dict",
      "state_dict",
      "set_weights",
      "requires_grad_",
    ],
    attributes: ["Module", "trainable", "requires_grad"],
  },
};
