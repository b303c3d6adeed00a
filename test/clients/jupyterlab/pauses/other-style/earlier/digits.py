# %% [markdown]
# # Iris with a small network
# %%
import torch
import torch.nn as nn
from sklearn.datasets import load_iris
# %%
iris = load_iris()
features = torch.tensor(iris.data, dtype=torch.float32)
labels = torch.tensor(iris.target)
# %%
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(4, 16)
        self.fc2 = nn.Linear(16, 3)

    def forward(self, x):
        x = torch.relu(self.fc1(x))
        return self.fc2(x)
# %%
net = Net()
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
# %%
for epoch in range(100):
    optimizer.zero_grad()
    loss = criterion(net(features), labels)
    loss.backward()
    optimizer.step()
