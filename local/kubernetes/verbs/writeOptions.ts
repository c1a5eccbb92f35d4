import { badRequest } from '../http/statusError.ts'
import { invalid, invalidObject } from '../schema/fieldError.ts'

export type FieldValidation = 'Ignore' | 'Warn' | 'Strict'

export interface WriteOptions {
  readonly dryRun: boolean
  readonly fieldValidation: FieldValidation
  readonly fieldManager: string
  /** The name that field ownership is recorded under: the field manager, or the calling program. */
  readonly manager: string
  /** In server-side apply: also takes fields that others own. */
  readonly force: boolean
}

/** Reads the query parameters of writes. */
export function readWriteOptions(query: URLSearchParams, userAgent: string | undefined): WriteOptions {
  const dryRun = query.getAll('dryRun')
  const bad = dryRun.find((value) => value !== 'All' && value !== '')
  if (bad !== undefined) {
    throw invalidObject('', 'CreateOptions', '', [invalid('dryRun', dryRun, 'Unsupported value: supported values: "All"')])
  }
  const validation = query.get('fieldValidation') ?? 'Warn'
  if (validation !== 'Ignore' && validation !== 'Warn' && validation !== 'Strict' && validation !== '') {
    throw badRequest(`invalid fieldValidation ${JSON.stringify(validation)}: must be Ignore, Warn or Strict`)
  }
  return {
    dryRun: dryRun.includes('All'),
    fieldValidation: validation === '' ? 'Warn' : validation,
    fieldManager: query.get('fieldManager') ?? '',
    manager: query.get('fieldManager') || userAgent?.split('/')[0] || 'unknown',
    force: query.get('force') === 'true',
  }
}
