document.getElementById("base").textContent = location.href.replace(/\/$/, "");
