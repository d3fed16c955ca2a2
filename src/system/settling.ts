/** What something comes to, or what is made instead where it takes longer than that. Rejects as it does. */
export async function settleWithin<T, Instead = T>(
  promise: Promise<T>,
  limitMs: number,
  makeInstead: () => Instead,
): Promise<T | Instead> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<Instead>((settle) => {
    timer = setTimeout(() => settle(makeInstead()), limitMs);
  });
  try {
    return await Promise.race([promise, limit]);
  } finally {
    clearTimeout(timer);
  }
}
