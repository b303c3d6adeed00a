checkpoint = "roberta-base"
tok = AutoTokenizer.from_pretrained(checkpoint)
encoded = hf_data.map(lambda ex: tok(ex["excerpt"], truncation=True, max_length=256), batched=True)
reg_model = AutoModelForSequenceClassification.from_pretrained(checkpoint, num_labels=1)
targs = TrainingArguments(
    output_dir="roberta-readability",
    evaluation_strategy="epoch",
    per_device_train_batch_size=16,
    learning_rate=2e-5,
    num_train_epochs=3,
    warmup_ratio=0.1,
    report_to="none",
)
trainer = Trainer(reg_model, targs, train_dataset=encoded["train"], eval_dataset=encoded["test"], tokenizer=tok)
trainer.train()
