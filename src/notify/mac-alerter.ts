import { findProgram, type MacProgramParts, runProgram } from './mac-program.ts';
import type { MacBanner, MacWay } from './mac-way.ts';
import { readActivation } from './mac-words.ts';
import { texts } from './texts.ts';

/** alerter 26 or newer: buttons and clicks, and one process a banner. */
export function createAlerter({ searchPath, environment, limits }: MacProgramParts): MacWay {
  const name = 'alerter';
  let file = '';
  return {
    name,
    clickable: true,
    async prepare() {
      file = findProgram(name, searchPath);
      return file !== '';
    },
    start: (banner) =>
      runProgram(
        name,
        {
          file,
          args: writeAlerterArguments(banner),
          environment,
          limitMs: banner.lifeSeconds * 1000 + limits.overtimeMs,
        },
        (outcome) => {
          const activation = readActivation(parseJson(outcome.stdout), banner.actions);
          return activation === null ? null : { kind: 'activated', activation };
        },
      ),
    remove: async (group) => {
      const { askMs: limitMs } = limits;
      await runProgram(name, { file, args: [`--remove=${group}`], environment, limitMs }).ended;
    },
  };
}

/** Each value in one argument with its option: then it may begin with anything. */
function writeAlerterArguments({ title, body, group, actions, lifeSeconds }: MacBanner): string[] {
  const labels = actions.map(({ label }) => label).join(',');
  return [
    `--title=${title}`,
    `--message=${body}`,
    `--group=${group}`,
    `--timeout=${lifeSeconds}`,
    '--json',
    ...(actions.length > 0 ? [`--actions=${labels}`] : []),
    // Several stand in a menu behind one button.
    ...(actions.length > 1 ? [`--dropdown-label=${texts.mac.actions}`] : []),
    `--close-label=${texts.mac.dismiss}`,
  ];
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
