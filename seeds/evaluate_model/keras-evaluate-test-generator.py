test_loss, test_acc = vgg_model.evaluate(test_gen, steps=len(test_gen), verbose=0)
