/** How many random cases a test tries: all in `npm run test:ci`, some in `npm test`. */
export function cases(some: number, all: number): number {
  return process.env.ALL_CASES === 'true' ? all : some;
}
