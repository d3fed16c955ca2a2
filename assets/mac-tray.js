/*
 * The icon in the menu bar of macOS, run by `osascript -l JavaScript`. Takes lines of JSON (ASCII only)
 * on stdin and answers so on stdout:
 *
 *   it   {"type":"ready"}
 *   we   {"type":"show","icon":base64,"title":text,"tooltip":text,"items":[...]}   what is left out stays
 *   it   {"type":"clicked","id":text}
 *   we   {"type":"exit"}, or the end of stdin
 *
 * An item is {"id","label","enabled","checked","items"} or {"separator":true}. The script language of macOS
 * calls a method without arguments when its name is read.
 */

/* global ObjC, $ */
/* biome-ignore-all lint/suspicious/noUnusedExpressions: reading a method's name calls it */

ObjC.import('Cocoa');
ObjC.import('stdlib');

const UTF8 = 4;
/** What menus of the bar are drawn at, in points; the picture has twice as many pixels. */
const ICON_POINTS = 16;
const IMAGE_ONLY = 1;
const IMAGE_LEFT = 2;
const VARIABLE_LENGTH = -1;
const ACCESSORY = 1;
/** A click arrives after its menu was closed, so rows must outlive that. */
const AFTER_CLICK_SECONDS = 0.2;

const app = $.NSApplication.sharedApplication;
// Before the item is made: otherwise there is an icon in the Dock, and on some systems none in the bar.
app.setActivationPolicy(ACCESSORY);

const input = $.NSFileHandle.fileHandleWithStandardInput;
const output = $.NSFileHandle.fileHandleWithStandardOutput;
let statusItem = null;
let menu = null;
let target = null;
let isOpen = false;
let waiting = null;
let rest = '';

function say(message) {
  output.writeData($(`${JSON.stringify(message)}\n`).dataUsingEncoding(UTF8));
}

function makeMenu() {
  const made = $.NSMenu.alloc.initWithTitle('');
  // What can be clicked is said by us, not found by the target's methods.
  made.autoenablesItems = false;
  return made;
}

function makeItem(row) {
  if (row.separator) return $.NSMenuItem.separatorItem;
  const hasMenu = row.items !== undefined && row.items.length > 0;
  const made = $.NSMenuItem.alloc.initWithTitleActionKeyEquivalent(
    $(row.label),
    // That of a row with a menu is then set by the system.
    'clicked:',
    $(''),
  );
  made.enabled = row.enabled === true;
  made.state = row.checked === true ? 1 : 0;
  if (hasMenu) {
    const below = makeMenu();
    fill(below, row.items);
    made.submenu = below;
  } else {
    made.target = target;
    made.representedObject = $(row.id);
  }
  return made;
}

function fill(filled, rows) {
  filled.removeAllItems;
  for (let at = 0; at < rows.length; at += 1) filled.addItem(makeItem(rows[at]));
}

function show(message) {
  const button = statusItem.button;
  if (message.icon !== undefined) {
    const data = $.NSData.alloc.initWithBase64EncodedStringOptions($(message.icon), 0);
    const image = $.NSImage.alloc.initWithData(data);
    if (!image.isNil()) {
      image.setSize($.NSMakeSize(ICON_POINTS, ICON_POINTS));
      image.setTemplate(true);
      button.setImage(image);
    }
  }
  if (message.title !== undefined) {
    button.setTitle($(message.title === '' ? '' : ` ${message.title}`));
    button.setImagePosition(message.title === '' ? IMAGE_ONLY : IMAGE_LEFT);
  }
  if (message.tooltip !== undefined) button.setToolTip($(message.tooltip));
  if (message.items === undefined) return;
  if (isOpen) waiting = message.items;
  else fill(menu, message.items);
}

function hear(line) {
  let message;
  try {
    message = JSON.parse(line);
  } catch (_error) {
    return;
  }
  if (message.type === 'exit') $.exit(0);
  if (message.type === 'show') show(message);
}

function listen() {
  // The second is the mode while a menu is open.
  input.waitForDataInBackgroundAndNotifyForModes(
    $(['kCFRunLoopDefaultMode', 'NSEventTrackingRunLoopMode']),
  );
}

ObjC.registerSubclass({
  name: 'SandyTrayTarget',
  superclass: 'NSObject',
  protocols: ['NSMenuDelegate'],
  methods: {
    'clicked:': {
      types: ['void', ['id']],
      implementation: (sender) => {
        say({ type: 'clicked', id: ObjC.unwrap(sender.representedObject) });
      },
    },
    'menuWillOpen:': {
      types: ['void', ['id']],
      implementation: () => {
        isOpen = true;
        $.NSObject.cancelPreviousPerformRequestsWithTarget(target);
      },
    },
    'menuDidClose:': {
      types: ['void', ['id']],
      implementation: () => {
        target.performSelectorWithObjectAfterDelay('closed:', target, AFTER_CLICK_SECONDS);
      },
    },
    'closed:': {
      types: ['void', ['id']],
      implementation: () => {
        isOpen = false;
        if (waiting !== null) fill(menu, waiting);
        waiting = null;
      },
    },
    'heard:': {
      types: ['void', ['id']],
      implementation: () => {
        const data = input.availableData;
        // The end of stdin: nobody is there any more.
        if (Number(data.length) === 0) $.exit(0);
        const text = ObjC.unwrap($.NSString.alloc.initWithDataEncoding(data, UTF8));
        const lines = (rest + (text || '')).split('\n');
        rest = lines.pop();
        for (let at = 0; at < lines.length; at += 1) hear(lines[at]);
        listen();
      },
    },
  },
});

target = $.SandyTrayTarget.alloc.init;
menu = makeMenu();
menu.delegate = target;
statusItem = $.NSStatusBar.systemStatusBar.statusItemWithLength(VARIABLE_LENGTH);
statusItem.menu = menu;
$.NSNotificationCenter.defaultCenter.addObserverSelectorNameObject(
  target,
  'heard:',
  'NSFileHandleDataAvailableNotification',
  input,
);
listen();
say({ type: 'ready' });
app.run;
