import { ownValue } from '../../../shared/base/values.ts'
import { badRequest } from '../http/statusError.ts'
import { at, type Json } from '../object/json.ts'
import type { KubeObject } from '../object/kubeObject.ts'

export type FieldSelector = (object: KubeObject) => boolean

/** The fields that a field selector of one resource may name: the label that clients write, and the path of its value. */
export type SelectableFields = { readonly [label: string]: readonly string[] }

export const METADATA_FIELDS: SelectableFields = {
  'metadata.name': ['metadata', 'name'],
  'metadata.namespace': ['metadata', 'namespace'],
}

/** Parses the field selector of a query (`spec.nodeName=a,status.phase!=Failed`). A field that is not selectable is a bad request. */
export function parseFieldSelector(text: string, fields: SelectableFields): FieldSelector | undefined {
  if (text.trim() === '') return undefined
  const terms = text.split(',').map((term) => parseTerm(term, fields))
  return (object) => terms.every((term) => term(object))
}

function parseTerm(term: string, fields: SelectableFields): FieldSelector {
  const match = /^\s*([^=!]+?)\s*(!=|==|=)\s*(.*?)\s*$/.exec(term)
  if (!match) throw badRequest(`invalid selector: '${term}'; can't understand '${term}'`)
  const [, label = '', operator, value = ''] = match
  const path = ownValue(fields, label)
  if (path === undefined) throw badRequest(`field label not supported: ${label}`)
  const wanted = value.replaceAll(/\\([\\,=])/g, '$1')
  return (object) => (printField(valueOf(object, label, path)) === wanted) === (operator !== '!=')
}

function valueOf(object: KubeObject, label: string, path: readonly string[]): Json | undefined {
  const value = at(object, ...path)
  // As on the real server, the source of an Event without one is its reporter.
  return label === 'source' && (value ?? '') === '' ? at(object, 'reportingComponent') : (value ?? ownValue(ABSENT, label))
}

/** Values of members that are not written, where the value is not the empty text. */
const ABSENT: { readonly [label: string]: Json | undefined } = { 'spec.unschedulable': false }

function printField(value: Json | undefined): string {
  return value === undefined || value === null ? '' : typeof value === 'object' ? JSON.stringify(value) : String(value)
}
