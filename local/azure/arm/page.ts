import type { Arm, ArmRequest } from './arm.ts'
import type { ArmAnswer } from './armAnswer.ts'

/** One page of a list; the link to the next keeps the query and adds where to go on. */
export function page(arm: Arm, request: ArmRequest, items: readonly object[]): ArmAnswer {
  const start = Number(request.query.get('$skiptoken') ?? 0)
  const end = start + arm.settings.pageSize
  const value = items.slice(start, end)
  if (end >= items.length) return { status: 200, body: { value } }
  const query = new URLSearchParams(request.query)
  query.set('$skiptoken', String(end))
  return { status: 200, body: { value, nextLink: `${arm.url()}${request.path}?${query.toString()}` } }
}
