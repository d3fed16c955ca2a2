/**
 * One figure. `aim` says what is wanted and `met` whether it is so; both null where the figure only
 * explains another one.
 * @typedef {{ what: string, figure: string, aim: string | null, met: boolean | null }} Row
 */

const marks = new Map([
  [true, 'ok'],
  [false, 'OVER'],
  [null, ''],
]);

/** @param {string} title @param {readonly Row[]} rows */
export function printTable(title, rows) {
  const cells = rows.map(({ what, figure, aim, met }) => [
    what,
    figure,
    aim ?? '',
    marks.get(met) ?? '',
  ]);
  const widths = [0, 1, 2].map((at) => Math.max(...cells.map((row) => row[at]?.length ?? 0)));
  console.log(`\n${title}`);
  for (const [what = '', figure = '', aim = '', mark] of cells) {
    const line = `  ${what.padEnd(widths[0])}  ${figure.padStart(widths[1])}  ${aim.padEnd(widths[2])}  ${mark}`;
    console.log(line.trimEnd());
  }
}

/** @param {number} ms */
export function inMs(ms) {
  return `${ms.toFixed(ms < 10 ? 2 : 0)} ms`;
}

/** @param {readonly number[]} figures */
export function medianOf(figures) {
  return [...figures].sort((a, b) => a - b)[Math.floor(figures.length / 2)] ?? Number.NaN;
}
