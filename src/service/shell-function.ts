/** A function for a person's shell: their `sandy --attach` then rides out restarts. */

export const shells = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof shells)[number];

/** The shell that `$SHELL` names; null: none of those that there is a function for. */
export function readShell(path: string | undefined): Shell | null {
  const name = path?.split('/').at(-1);
  return shells.find((shell) => shell === name) ?? null;
}

/** The text for the shell's start-up file. Every other use of sandy goes to sandy, word for word. */
export function writeShellFunction(shell: Shell): string {
  return shell === 'fish' ? forFish : forBashAndZsh;
}

/*
 * `function NAME` and not `NAME()`, which an alias of that name would break. No word is put into an array or
 * taken apart, so that no option of the shell makes something else of it. The folder is made a path, as
 * a session could have its name.
 */
const forBashAndZsh = `# sandy --attach on a terminal that rides out restarts; all else is for sandy itself.
function sandy {
  if [ -t 0 ] && [ -t 1 ] && command -v sandy-tray > /dev/null 2>&1; then
    if [ "$#" -eq 1 ] && [ "$1" = --attach ]; then
      command sandy-tray attach
      return
    fi
    if [ "$#" -eq 3 ]; then
      local workspace=
      if [ "$1" = --attach ] && [ "$2" = --workspace ]; then
        workspace=$3
      elif [ "$1" = --workspace ] && [ "$3" = --attach ]; then
        workspace=$2
      fi
      case "$workspace" in
        '') ;;
        /*)
          command sandy-tray attach -- "$workspace"
          return
          ;;
        *)
          command sandy-tray attach -- "./$workspace"
          return
          ;;
      esac
    fi
  fi
  command sandy "$@"
}
`;

const forFish = `# sandy --attach on a terminal that rides out restarts; all else is for sandy itself.
function sandy --wraps sandy
    if isatty stdin; and isatty stdout; and command -q sandy-tray
        set -l workspace
        set -l attaches no
        if test (count $argv) -eq 1; and string match -q -- --attach $argv[1]
            set attaches yes
        else if test (count $argv) -eq 3
            if string match -q -- --attach $argv[1]; and string match -q -- --workspace $argv[2]
                set workspace $argv[3]
            else if string match -q -- --workspace $argv[1]; and string match -q -- --attach $argv[3]
                set workspace $argv[2]
            end
            if test -n "$workspace"
                set attaches yes
                if not string match -q -- '/*' "$workspace"
                    set workspace ./$workspace
                end
            end
        end
        if test $attaches = yes
            if test (count $workspace) -eq 0
                command sandy-tray attach
            else
                command sandy-tray attach -- $workspace
            end
            return
        end
    end
    command sandy $argv
end
`;
