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
    return pressed(card) ? "" : problemWith(nameOf(card));
  }
  function problemWith(name) {
    if (!name) return "";
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
  // Rows that were asked about one by one, and rows for which a suggestion was taken over.
  let asked = new Map();
  let taken = new Map();
  function listed(said) {
    return Array.from(said, ([row, one]) => ({ row: row, decision: one.decision, name: one.name }));
  }
  function mapped(list) {
    return new Map((list || []).map((one) => [one.row, { decision: one.decision, name: one.name }]));
  }
  function apart() {
    const groups = new Map();
    new Map([...taken, ...asked]).forEach(function (one, row) {
      const key = JSON.stringify([one.decision, one.name]);
      if (!groups.has(key)) groups.set(key, { decision: one.decision, name: one.name, rows: [], excluded: [] });
      groups.get(key).rows.push(row);
    });
    return Array.from(groups.values());
  }
  function decisions() {
    const others = apart();
    const moved = new Set(others.flatMap((group) => group.rows));
    return {
      format: review.format,
      version: review.version,
      fingerprint: review.fingerprint,
      n_rows: review.n_rows,
      level: level,
      asked: listed(asked),
      taken: listed(taken),
      apart: others.length,
      groups: shown().map(function (card) {
        const out = excluded(card);
        const decision = decisionOf(card);
        return {
          decision: decision,
          name: decision === "name" ? nameOf(card) : null,
          rows: rowsOf[Number(card.dataset.group)].filter((row) => !out.has(row) && !moved.has(row)),
          excluded: Array.from(out),
        };
      }).concat(others),
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

  // One message at a time, the newest state next: quick changes neither wait for a pause nor overtake.
  let waiting = null;
  let sending = false;
  function save(text) {
    if (!review.save) return;
    waiting = text;
    if (!sending) send();
  }
  function send() {
    const text = waiting;
    waiting = null;
    sending = true;
    fetch(review.save, { method: "POST", body: text }).then(function (answer) {
      return answer.ok ? "Saved." : answer.text().then((why) => "Not saved: " + why);
    }).catch(() => "Not saved: eulac review does not run any more.").then(function (said) {
      sending = false;
      if (waiting !== null) send();
      else document.getElementById("saved").textContent = said;
    });
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
      counts.undecided + " undecided." + (asked.size ? " " + asked.size + " single rows answered." : "") +
      (taken.size ? " " + taken.size + " suggestions taken over." : "") + (wrong ? " " + wrong + " names cannot be used." : "");
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
    const wanted = content.level === undefined ? review.level : content.level;
    if (!(wanted >= bounds.low && wanted <= bounds.high)) return false;
    const before = level;
    level = wanted;
    const current = shown();
    const n_cards = Array.isArray(content.groups) ? content.groups.length - (content.apart || 0) : -1;
    if (n_cards !== current.length) {
      level = before;
      return false;
    }
    asked = mapped(content.asked);
    taken = mapped(content.taken);
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
    if (asking) askNext();
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
    asked = new Map();
    taken = new Map();
    show();
    if (asking) askNext();
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

  // One row at a time: the server says which, and what the answers so far suggest.
  const SHOWN_ROWS = 5;
  let asking = null;
  let suggested = new Map();
  function part(id) { return document.getElementById("ask-" + id); }
  function told() {
    const said = new Map();
    shown().forEach(function (card) {
      const decision = decisionOf(card);
      if (decision === "undecided" || problemOf(card)) return;
      const out = excluded(card);
      const name = decision === "name" ? nameOf(card) : null;
      rowsOf[Number(card.dataset.group)].filter((row) => !out.has(row)).slice(0, SHOWN_ROWS)
        .forEach((row) => said.set(row, { decision: decision, name: name }));
    });
    asked.forEach((one, row) => said.set(row, one));
    return said;
  }
  function spoken(one) { return one.name || words[one.decision]; }
  function askNext() {
    const said = told();
    fetch(review.ask, { method: "POST", body: JSON.stringify({ answers: listed(said) }) })
      .then(function (answer) {
        if (!answer.ok) return answer.text().then(function (why) { throw new Error(why); });
        return answer.json().then(function (content) { showAsked(content, said); });
      })
      .catch(function (error) { askProblem(error.message || "eulac review does not run any more."); });
  }
  function askProblem(text) {
    part("problem").textContent = text;
    part("problem").hidden = !text;
  }
  function showAsked(content, said) {
    asking = content.next;
    part("start").hidden = true;
    part("row").hidden = !asking;
    askProblem("");
    if (asking) {
      part("where").textContent = "Row " + asking.row + (asking.group ? ", group " + asking.group : ", in no group");
      part("shown").replaceChildren(rowShown(asking));
      part("name").value = "";
      part("name").placeholder = asking.suggested ? (asking.decision === "name" ? asking.suggested : words[asking.decision]) + "?" : "";
      part("name").focus();
    }
    part("told").textContent = asked.size + " rows answered." + (asking ? "" : " There is no row left to ask about.");
    suggest(content.names, said);
  }
  function rowShown(row) {
    if (row.image) {
      const image = document.createElement("img");
      image.src = row.image;
      image.alt = "row " + row.row;
      return image;
    }
    const table = document.createElement("table");
    const head = table.createTHead().insertRow();
    const body = table.createTBody().insertRow();
    row.cells.forEach(function (cell) {
      const title = document.createElement("th");
      title.scope = "col";
      title.textContent = cell[0];
      head.append(title);
      body.insertCell().textContent = cell[1];
    });
    return table;
  }
  // What answers suggest for rows that are decided otherwise by their group alone.
  function suggest(names, said) {
    const present = new Map();
    shown().forEach(function (card) {
      const decision = decisionOf(card);
      const out = excluded(card);
      rowsOf[Number(card.dataset.group)].filter((row) => !out.has(row)).forEach(function (row) {
        present.set(row, { decision: decision, name: decision === "name" ? nameOf(card) : null });
      });
    });
    taken.forEach((one, row) => present.set(row, one));
    suggested = new Map();
    const counts = new Map();
    names.forEach(function (group) {
      group.rows.forEach(function (row) {
        const now = present.get(row);
        if (!now || said.has(row) || now.decision === "unsure") return;
        if (now.decision === group.decision && now.name === group.name) return;
        suggested.set(row, { decision: group.decision, name: group.name });
        const text = spoken(group) + ", now " + spoken(now);
        counts.set(text, (counts.get(text) || 0) + 1);
      });
    });
    part("suggested").replaceChildren(...Array.from(counts, function ([text, n]) {
      const line = document.createElement("li");
      line.textContent = n + (n === 1 ? " more row is" : " more rows are") + " rather " + text;
      return line;
    }));
    part("take").hidden = !suggested.size;
  }
  function answerRow(kind) {
    if (!asking) return;
    const typed = part("name").value.trim();
    let one = { decision: kind, name: null };
    if (kind === "name") {
      if (!typed && !asking.suggested) return askProblem("Type a name, or say that you are not sure.");
      if (problemWith(typed)) return askProblem(problemWith(typed));
      one = typed ? { decision: "name", name: typed }
        : { decision: asking.decision, name: asking.decision === "name" ? asking.suggested : null };
    }
    taken.delete(asking.row);
    asked.set(asking.row, one);
    show();
    askNext();
  }
  if (review.ask) {
    part("start").addEventListener("click", askNext);
    part("name").addEventListener("keydown", function (event) {
      if (event.key === "Enter") answerRow("name");
    });
    document.querySelectorAll("[data-say]").forEach(function (button) {
      button.addEventListener("click", () => answerRow(button.dataset.say));
    });
    part("take").addEventListener("click", function () {
      suggested.forEach((one, row) => taken.set(row, one));
      show();
      askNext();
    });
  }

  if (review.save) restore(review.start);
  else {
    try { restore(JSON.parse(stored(keys.review))); } catch (error) { /* nothing kept */ }
  }
  show();
})();
