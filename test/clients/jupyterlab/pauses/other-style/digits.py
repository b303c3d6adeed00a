# %% [markdown]
# # Digits with a small network
# %%
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset
from sklearn.datasets import load_digits
# %%
digits = load_digits()
images = torch.tensor(digits.images, dtype=‸torch.float32)
labels = torch.tensor(‸digits.target)
# kernel digits Bunch
# kernel images Tensor
# kernel labels Tensor
# %%
dataset = TensorDataset(‸images, labels)
loader = DataLoader(dataset, ‸batch_size=64, shuffle=True)
# kernel loader DataLoader
# %%
class Net(nn.Module):
    def __init__(self):
        super().‸__init__()
        self.flatten = nn.Flatten()
        self.fc1 = nn.Linear(64, 32)
        self.fc2 = nn.‸Linear(32, 10)

    def forward(self, x):
        x = self.flatten(x)
        x = torch.relu(self.‸fc1(x))
        return ‸self.fc2(x)
# %%
net = ‸Net()
criterion = nn.‸CrossEntropyLoss()
optimizer = torch.optim.Adam(‸net.parameters(), lr=0.001)
# kernel net Net
# kernel criterion CrossEntropyLoss
# kernel optimizer Adam
# %%
for epoch in range(20):
    for x, y in ‸loader:
        optimizer.‸zero_grad()
        loss = criterion(‸net(x), y)
        loss.‸backward()
        ‸optimizer.step()
