/** Fits a window of 750 by 580 pixels, and a phone. */
export const style = `
:root { color-scheme: light dark; --back: #f1f3f6; --card: #fff; --text: #1d2433; --quiet: #5b6475; --line: #d5dae2;
  --accent: #2456c9; --onaccent: #fff; --warn: #fff4d6; --onwarn: #5c4300; --bad: #fde8e8; --onbad: #8f1d1d }
@media (prefers-color-scheme: dark) { :root { --back: #14171d; --card: #1e232c; --text: #e7eaf0; --quiet: #a3acbc; --line: #3a4250;
  --accent: #7ea6ff; --onaccent: #101623; --warn: #3d3215; --onwarn: #f5dd9b; --bad: #45201f; --onbad: #ffc9c7 } }
* { box-sizing: border-box }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; padding: 1rem; background: var(--back); color: var(--text);
  font: 15px/1.45 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif }
main { width: 100%; max-width: 34rem; padding: 1.25rem 1.75rem; background: var(--card); border: 1px solid var(--line);
  border-radius: 12px; box-shadow: 0 4px 24px rgb(0 0 0 / 8%); overflow-wrap: anywhere }
h1 { margin: 0 0 .25rem; font-size: 1.25rem; line-height: 1.3 }
p { margin: .25rem 0 .75rem }
.quiet, .note { color: var(--quiet) }
.note { font-size: .875rem }
.head { display: flex; gap: 1rem; align-items: center; margin-bottom: .75rem }
.head img, .sign { flex: none; width: 88px; height: 60px; object-fit: contain; border-radius: 8px; border: 1px solid var(--line) }
.sign { width: 60px; display: grid; place-items: center; font-size: 1.5rem; font-weight: 600; border: 0; background: var(--accent);
  color: var(--onaccent) }
.about { max-height: 6em; overflow: auto; white-space: pre-line; color: var(--quiet) }
h2 { margin: .75rem 0 .25rem; font-size: .9375rem }
ul { margin: 0 0 .75rem; padding-left: 1.2rem }
label { display: block; font-weight: 600; margin: .75rem 0 .25rem }
input[type=email], input[type=password] { width: 100%; padding: .55rem .7rem; font: inherit; color: inherit; background: var(--card);
  border: 1px solid var(--line); border-radius: 8px }
fieldset { margin: .5rem 0 .75rem; padding: 0; border: 0; max-height: 12rem; overflow: auto }
legend { padding: 0; font-weight: 600 }
.choice { display: flex; gap: .6rem; align-items: baseline; margin: .4rem 0 0; padding: .45rem .7rem; font-weight: 400;
  border: 1px solid var(--line); border-radius: 8px }
.choice small { color: var(--quiet); margin-left: .35rem }
.warn, .bad { padding: .55rem .75rem; border-radius: 8px; background: var(--warn); color: var(--onwarn) }
.bad { background: var(--bad); color: var(--onbad) }
.row { display: flex; gap: .6rem; justify-content: flex-end; margin-top: 1rem }
button, .button { padding: .55rem 1.1rem; font: inherit; font-weight: 600; color: var(--text); background: transparent;
  border: 1px solid var(--line); border-radius: 8px; cursor: pointer; text-decoration: none; display: inline-block }
button.main, .button.main { color: var(--onaccent); background: var(--accent); border-color: var(--accent) }
button.link { padding: 0; border: 0; font-weight: 400; font-size: .875rem; color: var(--accent); text-decoration: underline }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px }
.who { display: flex; gap: .5rem; justify-content: space-between; align-items: baseline; margin-top: .9rem; padding-top: .7rem;
  border-top: 1px solid var(--line); font-size: .875rem; color: var(--quiet) }
`
