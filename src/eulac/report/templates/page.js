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
  const undo = document.getElementById("undo");
  const rowsOf = review.groups.concat(review.others);
  const bounds = { low: Math.min(...review.levels.map((at) => at[0])), high: Math.max(...review.levels.map((at) => at[1])) };
  const words = { reject: "rejected", unsure: "not sure", known: "known after all", undecided: "undecided" };
  let level = review.level;
  cards.forEach(function (card, index) { card.style.order = review.levels[index][2]; });

  function isShown(card) {
    const at = review.levels[Number(card.dataset.group)];
    return at[0] <= level && level <= at[1];
  }
  function shown() {
    return cards.filter(isShown).sort((one, other) => one.style.order - other.style.order);
  }
  function field(card) { return card.querySelector("[data-name]"); }
  function nameOf(card) { return field(card).value.trim(); }
  function pressed(card) {
    return card.querySelector('[data-decide][aria-pressed="true"]');
  }
  function excluded(card) {
    const out = card.querySelectorAll('[data-row][aria-pressed="false"]');
    return new Set(Array.from(out, (button) => Number(button.dataset.row)));
  }
  function problemOf(card) {
    const name = nameOf(card);
    if (pressed(card) || !name) return "";
    if (review.reserved.includes(name)) {
      return "'" + name + "' already means new or unlabeled. Choose another name.";
    }
    if (review.numbers && !Number.isFinite(Number(name))) {
      return "The known classes are numbers, so the name must be one too.";
    }
    return "";
  }
  function decisionOf(card) {
    const button = pressed(card);
    if (button) return button.dataset.decide;
    return nameOf(card) ? "name" : "undecided";
  }
  function decisions() {
    return {
      format: review.format,
      version: review.version,
      fingerprint: review.fingerprint,
      n_rows: review.n_rows,
      level: level,
      groups: shown().map(function (card) {
        const out = excluded(card);
        const decision = decisionOf(card);
        return {
          decision: decision,
          name: decision === "name" ? nameOf(card) : null,
          rows: rowsOf[Number(card.dataset.group)].filter((row) => !out.has(row)),
          excluded: Array.from(out),
        };
      }),
    };
  }

  // What was decided before each change; typing on in one field is one change.
  const past = [];
  let now = null;
  let typing = null;
  function remember(state, typed) {
    if (now !== null && state !== now && !(typed && typed === typing)) past.push(now);
    typing = typed || null;
    now = state;
    undo.disabled = !past.length;
  }

  let saving = null;
  function save(text) {
    if (!review.save) return;
    const line = document.getElementById("saved");
    clearTimeout(saving);
    saving = setTimeout(function () {
      fetch(review.save, { method: "POST", body: text }).then(function (answer) {
        if (answer.ok) line.textContent = "Saved.";
        else answer.text().then(function (why) { line.textContent = "Not saved: " + why; });
      }, function () { line.textContent = "Not saved: eulac review does not run any more."; });
    }, 200);
  }

  function show(typed) {
    const counts = { name: 0, reject: 0, unsure: 0, known: 0, undecided: 0 };
    const names = new Map();
    const current = shown();
    cards.forEach(function (card) { card.hidden = !isShown(card); });
    current.forEach(function (card) {
      if (decisionOf(card) === "name") names.set(nameOf(card), (names.get(nameOf(card)) || 0) + 1);
    });
    let wrong = 0;
    current.forEach(function (card) {
      const decision = decisionOf(card);
      const problem = problemOf(card);
      counts[decision] += 1;
      wrong += problem ? 1 : 0;
      card.dataset.decision = decision;
      const merged = decision === "name" && names.get(nameOf(card)) > 1;
      card.querySelector("[data-state]").textContent =
        decision === "name" ? (merged ? "named, merged" : "named") : words[decision];
      const line = card.querySelector("[data-problem]");
      if (line.textContent !== problem) line.textContent = problem;
      line.hidden = !problem;
    });
    const more = ["unsure", "known"].filter((kind) => counts[kind]);
    tally.textContent =
      counts.name + " of " + current.length + " groups named as " + names.size +
      (names.size === 1 ? " class, " : " classes, ") + counts.reject + " rejected, " +
      more.map((kind) => counts[kind] + " " + words[kind] + ", ").join("") +
      counts.undecided + " undecided." + (wrong ? " " + wrong + " names cannot be used." : "");
    document.getElementById("download").disabled = wrong > 0;
    if (document.getElementById("level")) {
      document.getElementById("level").textContent = level + (level === 1 ? " group" : " groups");
      document.getElementById("coarser").disabled = level <= bounds.low;
      document.getElementById("finer").disabled = level >= bounds.high;
    }
    const text = JSON.stringify(decisions());
    remember(text, typed);
    store(keys.review, text);
    if (!wrong) save(text);
  }

  function press(button, on) { button.setAttribute("aria-pressed", String(on)); }
  function decide(card, kind) {
    card.querySelectorAll("[data-decide]").forEach(function (button) {
      press(button, button.dataset.decide === kind);
    });
  }
  function put(card, group) {
    field(card).value = group.name || "";
    decide(card, group.decision);
    const out = new Set(group.excluded || []);
    card.querySelectorAll("[data-row]").forEach(function (button) {
      press(button, !out.has(Number(button.dataset.row)));
    });
  }
  function restore(content) {
    if (!content || content.format !== review.format || content.fingerprint !== review.fingerprint) {
      return false;
    }
    const asked = content.level === undefined ? review.level : content.level;
    if (!(asked >= bounds.low && asked <= bounds.high)) return false;
    const before = level;
    level = asked;
    const current = shown();
    if (!Array.isArray(content.groups) || content.groups.length !== current.length) {
      level = before;
      return false;
    }
    current.forEach(function (card, index) { put(card, content.groups[index]); });
    return true;
  }
  // Groups that come keep what was decided about them before, or take it from those they replace.
  function move(by) {
    const before = shown();
    level = Math.min(bounds.high, Math.max(bounds.low, level + by));
    shown().filter((card) => !before.includes(card)).forEach(function (card) {
      const rows = new Set(rowsOf[Number(card.dataset.group)]);
      const from = before.filter((old) => rowsOf[Number(old.dataset.group)].some((row) => rows.has(row)));
      const named = from.filter((old) => decisionOf(old) !== "undecided");
      if (!named.length || decisionOf(card) !== "undecided") return;
      const out = from.flatMap((old) => Array.from(excluded(old)));
      put(card, { decision: decisionOf(named[0]), name: nameOf(named[0]), excluded: out });
    });
    show();
  }

  cards.forEach(function (card) {
    field(card).addEventListener("input", function () {
      decide(card, null);
      show("name " + card.dataset.group);
    });
    field(card).addEventListener("keydown", function (event) {
      if (event.key !== "Enter") return;
      const current = shown();
      const next = current[current.indexOf(card) + 1];
      if (next) field(next).focus();
      else document.getElementById("download").focus();
    });
    card.querySelectorAll("[data-decide]").forEach(function (button) {
      button.addEventListener("click", function () {
        decide(card, pressed(card) === button ? null : button.dataset.decide);
        show();
      });
    });
    card.querySelectorAll("[data-row]").forEach(function (button) {
      button.addEventListener("click", function () {
        press(button, button.getAttribute("aria-pressed") !== "true");
        show();
      });
    });
  });
  if (document.getElementById("level")) {
    document.getElementById("coarser").addEventListener("click", () => move(-1));
    document.getElementById("finer").addEventListener("click", () => move(1));
  }
  function takeBack() {
    if (!past.length) return;
    const last = past.pop();
    now = last;
    typing = null;
    restore(JSON.parse(last));
    show();
  }
  undo.addEventListener("click", takeBack);
  document.addEventListener("keydown", function (event) {
    const inField = event.target.matches && event.target.matches("input");
    if ((event.ctrlKey || event.metaKey) && event.key === "z" && !inField) {
      event.preventDefault();
      takeBack();
    }
  });
  document.getElementById("clear").addEventListener("click", function () {
    cards.forEach((card) => put(card, { decision: "undecided" }));
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

  if (review.save) restore(review.start);
  else {
    try { restore(JSON.parse(stored(keys.review))); } catch (error) { /* nothing kept */ }
  }
  show();
})();
