import { getEventListeners } from 'node:events';

/** The listeners of a signal, and the signals that `AbortSignal.any` derived from it. */
export function leftIn(signal: AbortSignal): unknown[] {
  const isDependants = (symbol: symbol) => symbol.description === 'kDependantSignals';
  const dependants = Object.getOwnPropertySymbols(signal).find(isDependants)!;
  return [
    ...getEventListeners(signal, 'abort'),
    ...((Reflect.get(signal, dependants) as Set<unknown> | null) ?? []),
  ];
}
