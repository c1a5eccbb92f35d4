import type { Json } from '../object/json.ts'
import type { KubeObject } from '../object/kubeObject.ts'

/** Returns how long ago a timestamp was, as kubectl shows ages: at most two units, and fewer for older times. */
export function ageOf(timestamp: Json | undefined, nowMs: number): string {
  if (typeof timestamp !== 'string' || timestamp === '') return '<unknown>'
  const then = Date.parse(timestamp)
  return Number.isNaN(then) ? '<invalid>' : humanDuration(nowMs - then)
}

export function objectAge(object: KubeObject, nowMs: number): string {
  return ageOf(object.metadata.creationTimestamp, nowMs)
}

export function humanDuration(milliseconds: number): string {
  const seconds = Math.floor(milliseconds / 1000)
  if (seconds < -1) return '<invalid>'
  if (seconds < 0) return '0s'
  if (seconds < 120) return `${seconds}s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 10) return pair(minutes, 'm', seconds % 60, 's')
  if (minutes < 180) return `${minutes}m`
  const hours = Math.floor(minutes / 60)
  if (hours < 8) return pair(hours, 'h', minutes % 60, 'm')
  if (hours < 48) return `${hours}h`
  const days = Math.floor(hours / 24)
  if (hours < 192) return pair(days, 'd', hours % 24, 'h')
  if (days < 365 * 2) return `${days}d`
  const years = Math.floor(days / 365)
  return days < 365 * 8 ? pair(years, 'y', days % 365, 'd') : `${years}y`
}

function pair(large: number, largeUnit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${large}${largeUnit}` : `${large}${largeUnit}${small}${smallUnit}`
}
