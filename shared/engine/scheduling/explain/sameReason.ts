import type { NotTaken } from './explanation.ts'

/** The reason without its numbers, as text. Reasons with the same text are told together. */
export function detailOf(reason: NotTaken): string {
  if ('resource' in reason) return `${reason.kind} ${reason.resource}`
  if ('driver' in reason) return `${reason.kind} ${reason.driver}`
  if ('reservation' in reason) return `${reason.kind} ${reason.reservation}`
  if ('rule' in reason) return `${reason.kind} ${reason.rule} ${reason.label}`
  if ('labels' in reason) return `${reason.kind} ${reason.whose} ${reason.labels.join()}`
  if ('taints' in reason) return `${reason.kind} ${reason.taints.join()}`
  return 'code' in reason ? `${reason.kind} ${reason.code}` : reason.kind
}
