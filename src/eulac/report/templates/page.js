"use strict";
(function () {
  const root = document.documentElement;
  const review = JSON.parse(document.getElementById("review-data").textContent);
  const keys = { theme: "eulac-theme", review: "eulac-review-" + review.fingerprint };

  // Storage is a convenience: pages opened from a file may be refused it.
  function stored(key) { try { return localStorage.getItem(key); } catch (error) { return null; } }
  function store(key, value) { try { localStorage.setItem(key, value); } catch (error) { /* none */ } }

  const toggle = document.getElementById("theme");
  const prefersDark = window.matchMedia("(prefers-color-scheme: dark)");
  function isDark() {
    return root.dataset.theme ? root.dataset.theme === "dark" : prefersDark.matches;
  }
  function showTheme() {
    toggle.textContent = isDark() ? "Light" : "Dark";
    toggle.setAttribute("aria-label", isDark() ? "Use light colors" : "Use dark colors");
  }
  const kept = stored(keys.theme);
  if (kept === "dark" || kept === "light") root.dataset.theme = kept;
  toggle.addEventListener("click", function () {
    root.dataset.theme = isDark() ? "light" : "dark";
    store(keys.theme, root.dataset.theme);
    showTheme();
  });
  prefersDark.addEventListener("change", showTheme);
  showTheme();

  const cards = Array.from(document.querySelectorAll(".group"));
  if (!cards.length) return;
  const tally = document.getElementById("tally");

  function nameOf(card) { return card.querySelector("[data-name]").value.trim(); }
  function isRejected(card) {
    return card.querySelector("[data-reject]").getAttribute("aria-pressed") === "true";
  }
  function excluded(card) {
    const out = card.querySelectorAll('[data-row][aria-pressed="false"]');
    return new Set(Array.from(out, (button) => Number(button.dataset.row)));
  }
  function problemOf(card) {
    const name = nameOf(card);
    if (isRejected(card) || !name) return "";
    if (review.reserved.includes(name)) {
      return "'" + name + "' already means new or unlabeled. Choose another name.";
    }
    if (review.numbers && !Number.isFinite(Number(name))) {
      return "The known classes are numbers, so the name must be one too.";
    }
    return "";
  }
  function decisionOf(card) {
    if (isRejected(card)) return "reject";
    return nameOf(card) ? "name" : "undecided";
  }
  function decisions() {
    return {
      format: review.format,
      version: review.version,
      fingerprint: review.fingerprint,
      n_rows: review.n_rows,
      groups: cards.map(function (card) {
        const out = excluded(card);
        const decision = decisionOf(card);
        return {
          decision: decision,
          name: decision === "name" ? nameOf(card) : null,
          rows: review.groups[Number(card.dataset.group)].filter((row) => !out.has(row)),
          excluded: Array.from(out),
        };
      }),
    };
  }

  function show() {
    const counts = { name: 0, reject: 0, undecided: 0 };
    const names = new Map();
    cards.forEach(function (card) {
      if (decisionOf(card) === "name") names.set(nameOf(card), (names.get(nameOf(card)) || 0) + 1);
    });
    let wrong = 0;
    cards.forEach(function (card) {
      const decision = decisionOf(card);
      const problem = problemOf(card);
      counts[decision] += 1;
      wrong += problem ? 1 : 0;
      card.dataset.decision = decision;
      const merged = decision === "name" && names.get(nameOf(card)) > 1;
      card.querySelector("[data-state]").textContent = {
        name: merged ? "named, merged" : "named",
        reject: "rejected",
        undecided: "undecided",
      }[decision];
      const line = card.querySelector("[data-problem]");
      if (line.textContent !== problem) line.textContent = problem;
      line.hidden = !problem;
    });
    tally.textContent =
      counts.name + " of " + cards.length + " groups named as " + names.size +
      (names.size === 1 ? " class, " : " classes, ") + counts.reject + " rejected, " +
      counts.undecided + " undecided." + (wrong ? " " + wrong + " names cannot be used." : "");
    document.getElementById("download").disabled = wrong > 0;
    store(keys.review, JSON.stringify(decisions()));
  }

  function press(button, on) { button.setAttribute("aria-pressed", String(on)); }
  function restore(content) {
    if (!content || content.format !== review.format || content.fingerprint !== review.fingerprint) {
      return false;
    }
    if (!Array.isArray(content.groups) || content.groups.length !== cards.length) return false;
    cards.forEach(function (card, index) {
      const group = content.groups[index];
      card.querySelector("[data-name]").value = group.name || "";
      press(card.querySelector("[data-reject]"), group.decision === "reject");
      const out = new Set(group.excluded || []);
      card.querySelectorAll("[data-row]").forEach(function (button) {
        press(button, !out.has(Number(button.dataset.row)));
      });
    });
    return true;
  }

  cards.forEach(function (card) {
    card.querySelector("[data-name]").addEventListener("input", function () {
      press(card.querySelector("[data-reject]"), false);
      show();
    });
    card.querySelectorAll("[data-reject], [data-row]").forEach(function (button) {
      button.addEventListener("click", function () {
        press(button, button.getAttribute("aria-pressed") !== "true");
        show();
      });
    });
  });
  document.getElementById("clear").addEventListener("click", function () {
    restore({
      format: review.format,
      fingerprint: review.fingerprint,
      groups: cards.map(() => ({ decision: "undecided" })),
    });
    show();
  });
  document.getElementById("download").addEventListener("click", function () {
    const text = JSON.stringify(decisions());
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([text], { type: "application/json" }));
    link.download = "decisions.json";
    document.body.append(link);
    link.click();
    link.remove();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  });
  document.getElementById("restore").addEventListener("change", function (event) {
    const file = event.target.files[0];
    if (!file) return;
    file.text().then(function (text) {
      let content = null;
      try { content = JSON.parse(text); } catch (error) { /* said below */ }
      if (restore(content)) show();
      else tally.textContent = "This file holds no decisions about these groups.";
      event.target.value = "";
    });
  });

  try { restore(JSON.parse(stored(keys.review))); } catch (error) { /* nothing kept */ }
  show();
})();
