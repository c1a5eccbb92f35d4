import type { Arm, ArmRequest } from './arm.ts'
import type { ArmAnswer } from './armAnswer.ts'

/** Returns one page of a list. The link to the next page keeps the query and adds the position. */
export function page(arm: Arm, request: ArmRequest, items: readonly object[]): ArmAnswer {
  const start = Number(request.query.get('$skiptoken') ?? 0)
  const end = start + arm.settings.pageSize
  const value = items.slice(start, end)
  if (end >= items.length) return { status: 200, body: { value } }
  const query = new URLSearchParams(request.query)
  query.set('$skiptoken', String(end))
  return { status: 200, body: { value, nextLink: `${arm.url()}${request.path}?${query.toString()}` } }
}
