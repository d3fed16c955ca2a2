/** The package is installed under another name than the one under which it declares its types. */
/// <reference path="../node_modules/node-pty/node-pty.d.ts" />
declare module 'node-pty' {
  export * from '@lydell/node-pty';
}
