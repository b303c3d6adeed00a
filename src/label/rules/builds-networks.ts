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
      ModelCheckpoint StepLR LearningRateScheduler resnet resnet34 resnet50 VGG16 InceptionV3 GlobalAveragePooling2D
      Flatten MaxPool2d KerasClassifier KerasRegressor ConvTranspose2d densenet create_model build_model Conv1D Conv3D
      SeparableConv2D DepthwiseConv2D Conv2DTranspose MaxPooling1D AveragePooling2D GlobalMaxPooling2D
      GlobalMaxPooling1D GlobalAveragePooling1D UpSampling2D Bidirectional SimpleRNN TimeDistributed RepeatVector
      LayerNormalization LayerNorm MultiHeadAttention SpatialDropout1D LeakyReLU PReLU BatchNorm2d BatchNorm1d
      Dropout2d NLLLoss KLDivLoss SmoothL1Loss AdamW Adagrad Adadelta Adamax Nadam CosineAnnealingLR OneCycleLR
      LambdaCallback CSVLogger TensorBoard ResNet50 VGG19 Xception MobileNet MobileNetV2 DenseNet121 EfficientNet
      InceptionResNetV2 AlexNet SqueezeNet TFBertModel BertModel
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
