import type { NotTaken } from './explanation.ts'

/** Equal for reasons that differ in numbers alone: those are told together. */
export function detailOf(reason: NotTaken): string {
  if ('resource' in reason) return `${reason.kind} ${reason.resource}`
  if ('driver' in reason) return `${reason.kind} ${reason.driver}`
  if ('reservation' in reason) return `${reason.kind} ${reason.reservation}`
  if ('rule' in reason) return `${reason.kind} ${reason.rule} ${reason.label}`
  if ('labels' in reason) return `${reason.kind} ${reason.whose} ${reason.labels.join()}`
  if ('taints' in reason) return `${reason.kind} ${reason.taints.join()}`
  return 'code' in reason ? `${reason.kind} ${reason.code}` : reason.kind
}
