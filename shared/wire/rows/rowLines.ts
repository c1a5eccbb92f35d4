/** Parses single lines of rows, as far as they can be checked without other rows. */
import { OBJECT_KINDS } from '../../model/clusterObjects.ts'
import { OBJECT_CODECS } from '../change.ts'
import { type Codec, isObject } from '../codec.ts'
import { atPath, type Column, valueAt } from './shape.ts'
import { type Form, isScalar, type Path } from './template.ts'

/** `paths`: the path of the object's name, which is the key of its change, followed by the paths of its own values. */
export type ReadForm = Form & { readonly paths: readonly Path[]; readonly codec: Codec<object> }

/** `sample`: the first object of the template, which is fully checked. For other objects only the types of their own values are checked. */
export type Template = { readonly form: ReadForm; readonly common: object; sample?: object }

export type Block = {
  readonly rows: number
  readonly form: ReadForm
  /** One template for all rows, or one for each row. */
  readonly templates: readonly Template[]
  readonly terms: Column
  readonly seqs: Column
  readonly ats: Column
  readonly changeSeqs: Column
  /** The values at the paths of the form. */
  readonly values: readonly Column[]
}

type Json = { readonly [member: string]: unknown }

/** Returns the form, or the rule that the line breaks. */
export function formOf({ kind: name, own, types, name: member }: Json): ReadForm | string {
  const kind = OBJECT_KINDS.find((each) => each === name)
  if (kind === undefined) return 'a form of rows has no kind'
  if (!isPaths(own) || !isTexts(types) || typeof member !== 'string') return 'a form of rows has no paths'
  return { kind, own, types, paths: [[member], ...own], codec: OBJECT_CODECS[kind] as Codec<object> }
}

export function templateOf({ form: number, common }: Json, forms: readonly ReadForm[]): Template | string {
  const form = typeof number === 'number' ? forms[number] : undefined
  if (form === undefined || !isObject(common)) return 'a template of rows has no form'
  return hasPlaces(common, form) ? { form, common } : 'a template of rows has no place for a value of its form'
}

export function hasPlaces(object: object, { paths }: ReadForm): boolean {
  return paths.every((path) => isScalar(atPath(object, path)))
}

/** Far above the number of rows that any writer writes. */
const MOST_ROWS = 100_000

/** The types of the columns before the columns of the form. */
const HEAD = ['number', 'number', 'number', 'number', 'number', 'string'] as const

export function blockOf([rows, ...columns]: readonly unknown[], known: readonly Template[]): Block | string {
  if (!isCount(rows)) return 'a block has no number of rows'
  if (!columns.every((column): column is Column => isColumn(column, rows))) return 'a block of rows has no columns'
  const [numbers, terms, seqs, ats, changeSeqs, ...values] = columns
  const templates = numbers === undefined ? [] : templatesOf(numbers, known)
  const [first] = templates
  if (first === undefined) return 'a block of rows has no template, or templates of several forms'
  const types = [...HEAD, ...first.form.types]
  const isWhole =
    terms !== undefined && seqs !== undefined && ats !== undefined && changeSeqs !== undefined && columns.length === types.length
  if (!isWhole || columns.some((column, index) => !isOfType(column, types[index]))) return 'a block of rows has other columns than its form'
  return { rows, form: first.form, templates, terms, seqs, ats, changeSeqs, values }
}

/** Uses plain loops over rows without callbacks: only few blocks are read, so the JIT never optimizes a callback that is called in one block only. */
function templatesOf(numbers: Column, known: readonly Template[]): readonly Template[] {
  const templates: Template[] = []
  const rows = isScalar(numbers) ? 1 : numbers.length
  for (let row = 0; row < rows; row++) {
    const template = known[Number(valueAt(numbers, row))]
    if (template === undefined || template.form !== (templates[0] ?? template).form) return []
    templates.push(template)
  }
  return templates
}

function isCount(json: unknown): json is number {
  return typeof json === 'number' && Number.isInteger(json) && json <= MOST_ROWS
}

function isColumn(json: unknown, rows: number): json is Column {
  return isScalar(json) || (Array.isArray(json) && json.length === rows)
}

function isOfType(column: Column, type: string | undefined): boolean {
  if (isScalar(column)) return typeof column === type
  for (let row = 0; row < column.length; row++) if (typeof column[row] !== type) return false
  return true
}

function isPaths(json: unknown): json is readonly Path[] {
  return Array.isArray(json) && json.every(isPath)
}

function isPath(json: unknown): json is Path {
  return Array.isArray(json) && json.length > 0 && json.every((step) => typeof step === 'string' || typeof step === 'number')
}

function isTexts(json: unknown): json is readonly string[] {
  return Array.isArray(json) && json.every((each) => typeof each === 'string')
}
