import type { NotTaken } from './explanation.ts'

/** Equal for reasons that differ in numbers alone: those are told together. */
export function detailOf(reason: NotTaken): string {
  switch (reason.kind) {
    case 'amount':
    case 'limit':
      return `${reason.kind} ${reason.resource}`
    case 'disks':
      return `disks ${reason.driver}`
    case 'labels':
      return `labels ${reason.whose} ${reason.labels.join()}`
    case 'taints':
      return `taints ${reason.taints.join()}`
    case 'neighbours':
      return `neighbours ${reason.rule} ${reason.label}`
    case 'blocked':
    case 'quota':
    case 'pool':
      return `${reason.kind} ${reason.code}`
    case 'reservation':
      return `reservation ${reason.reservation}`
    default:
      return reason.kind
  }
}
