/** What is used of it. */
declare module 'node-notifier/notifiers/notificationcenter.js' {
  export default class NotificationCenter {
    constructor(options: { readonly customPath: string });
    notify(
      options: Readonly<Record<string, unknown>>,
      callback: (error: unknown, response: unknown, metadata: unknown) => void,
    ): unknown;
  }
}
