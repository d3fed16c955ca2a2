/**
 * As much of macOS as the script of the menu bar sees: `node mac-stand-in.mjs -l JavaScript SCRIPT`, run as if it
 * were `osascript`. What is in the bar goes to the socket MAC_STAND_IN as a line of JSON whenever something
 * happened, and lines from there are what a person does: `open`, `close`, `click LABEL`, `look`.
 */

import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import { createContext, runInContext } from 'node:vm';

const [, , option, language, file] = process.argv;
if (option !== '-l' || language !== 'JavaScript') process.exit(64);
const person = connect(process.env.MAC_STAND_IN);
const order = [];
const chunks = [];
let observer = null;
let delayed = [];
let statusItem = null;
let policy = null;

/** An object whose methods without arguments are called by reading their names, as the bridge does. */
const bridge = (methods, calls = {}) =>
  new Proxy(methods, {
    get(target, name) {
      if (Object.hasOwn(calls, name)) return calls[name]();
      if (name in target || typeof name === 'symbol') return target[name];
      throw new Error(`nothing is called ${String(name)}`);
    },
  });
const text = (value) => {
  if (typeof value?.js !== 'string') throw new Error(`no NSString: ${String(value)}`);
  return value.js;
};

class Menu {
  rows = [];
  autoenablesItems = true;
  delegate = null;
  addItem(row) {
    if (row.owner !== null) throw new Error('it is in a menu already');
    row.owner = this;
    this.rows.push(row);
  }
}
const makeMenu = () => {
  const menu = new Menu();
  const clear = () => {
    for (const row of menu.rows) row.owner = null;
    menu.rows = [];
  };
  return bridge(menu, { removeAllItems: clear });
};
const makeRow = (label, action) => ({
  label,
  action,
  enabled: true,
  state: 0,
  target: null,
  representedObject: null,
  submenu: null,
  owner: null,
});
const wrap = (js) => {
  if (typeof js !== 'string') return { js };
  return { js, dataUsingEncoding: () => ({ bytes: Buffer.from(js, 'utf8') }) };
};
const classes = {};
const $ = Object.assign((js) => wrap(js), {
  NSApplication: {
    sharedApplication: bridge(
      {
        setActivationPolicy(given) {
          policy = given;
          order.push('policy');
        },
      },
      { run: () => order.push('run') },
    ),
  },
  NSFileHandle: {
    fileHandleWithStandardInput: bridge(
      {
        waitForDataInBackgroundAndNotifyForModes: (modes) => {
          if (modes.js.length !== 2) throw new Error('deaf while a menu is open');
          process.stdin.resume();
        },
      },
      {
        availableData: () => ({
          bytes: chunks.shift(),
          get length() {
            return this.bytes.length;
          },
        }),
      },
    ),
    fileHandleWithStandardOutput: {
      writeData({ bytes }) {
        process.stdout.write(bytes);
      },
    },
  },
  NSMenu: { alloc: { initWithTitle: makeMenu } },
  NSMenuItem: {
    get separatorItem() {
      return makeRow('-', null);
    },
    alloc: {
      initWithTitleActionKeyEquivalent: (label, action, key) =>
        makeRow(text(label), text(key) === '' ? action : null),
    },
  },
  NSData: {
    alloc: {
      initWithBase64EncodedStringOptions: (given) => Buffer.from(text(given), 'base64'),
    },
  },
  NSImage: {
    alloc: {
      initWithData: (bytes) => ({
        bytes,
        isNil: () => bytes.length === 0,
        setSize(size) {
          this.size = size;
        },
        setTemplate(isTemplate) {
          this.isTemplate = isTemplate;
        },
      }),
    },
  },
  NSMakeSize: (width, height) => [width, height],
  NSString: {
    alloc: {
      initWithDataEncoding: ({ bytes }) => {
        // Bytes that are no whole text give nothing at all.
        if (/[^\x00-\x7f]/.test(bytes.toString('latin1'))) throw new Error('not ASCII');
        return wrap(bytes.toString());
      },
    },
  },
  NSObject: {
    cancelPreviousPerformRequestsWithTarget() {
      for (const timer of delayed) clearTimeout(timer);
      delayed = [];
    },
  },
  NSStatusBar: {
    systemStatusBar: {
      statusItemWithLength() {
        order.push('item');
        const button = { icon: null, title: '', tooltip: '', position: 0 };
        button.setImage = ({ bytes, size, isTemplate }) => {
          button.icon = { text: bytes.toString('latin1'), size, isTemplate };
        };
        button.setTitle = (given) => {
          button.title = text(given);
        };
        button.setImagePosition = (given) => {
          button.position = given;
        };
        button.setToolTip = (given) => {
          button.tooltip = text(given);
        };
        statusItem = { button, menu: null };
        return statusItem;
      },
    },
  },
  NSNotificationCenter: {
    defaultCenter: {
      addObserverSelectorNameObject(target, selector, name) {
        if (name === 'NSFileHandleDataAvailableNotification') observer = () => target[selector]();
      },
    },
  },
  exit: (code) => process.exit(code),
});
const ObjC = {
  import: () => {},
  unwrap: (value) => value.js,
  registerSubclass({ name, methods }) {
    const made = Object.fromEntries(
      Object.entries(methods).map(([selector, { implementation }]) => [selector, implementation]),
    );
    made.performSelectorWithObjectAfterDelay = (selector, argument, seconds) => {
      delayed.push(setTimeout(() => made[selector](argument), seconds * 1000));
    };
    classes[name] = made;
    $[name] = { alloc: { init: made } };
  },
};

const drawRows = (menu) =>
  menu.rows.map(({ label, enabled, state, submenu }) => ({
    label,
    ...(enabled ? {} : { enabled }),
    ...(state === 1 ? { checked: true } : {}),
    ...(submenu === null ? {} : { rows: drawRows(submenu) }),
  }));
const look = () => {
  const { icon, title, tooltip, position } = statusItem.button;
  const rows = drawRows(statusItem.menu);
  person.write(`${JSON.stringify({ order, policy, icon, title, tooltip, position, rows })}\n`);
};
const findRow = (menu, label) => {
  for (const row of menu.rows) {
    if (row.label === label) return row;
    const below = row.submenu === null ? undefined : findRow(row.submenu, label);
    if (below !== undefined) return below;
  }
  return undefined;
};
const act = (line) => {
  const [verb, label] = line.split(/ (.*)/);
  const { delegate } = statusItem.menu;
  if (verb === 'open') delegate['menuWillOpen:'](statusItem.menu);
  if (verb === 'close') delegate['menuDidClose:'](statusItem.menu);
  if (verb === 'click') {
    const row = findRow(statusItem.menu, label);
    // The menu is closed before the click arrives, and rows that are gone then do nothing.
    delegate['menuDidClose:'](statusItem.menu);
    setTimeout(() => {
      if (row.owner !== null && row.enabled && row.submenu === null) row.target[row.action](row);
    }, 20);
  }
  look();
};

process.stdin.pause();
process.stdin.on('data', (bytes) => {
  process.stdin.pause();
  chunks.push(bytes);
  observer();
  look();
});
process.stdin.on('end', () => {
  chunks.push(Buffer.alloc(0));
  observer();
});
runInContext(readFileSync(file, 'utf8'), createContext({ $, ObjC, JSON, Number }));
createInterface({ input: person }).on('line', act);
