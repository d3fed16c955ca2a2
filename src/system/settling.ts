/** What something comes to, or what is made instead where it takes longer than that. */
export async function settleWithin<T, Instead = T>(
  promise: Promise<T>,
  limitMs: number,
  makeInstead: () => Instead,
): Promise<T | Instead> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<Instead>((settle) => {
    timer = setTimeout(() => settle(makeInstead()), limitMs);
  });
  const settled = await Promise.race([promise, limit]);
  clearTimeout(timer);
  return settled;
}
