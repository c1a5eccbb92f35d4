import { err, ok, type Result } from '../../base/result.ts'
import { pieceMaker } from '../../base/text.ts'
import { setOwnValue } from '../../base/values.ts'
import type { Change, Version } from '../../model/change.ts'
import { type Problem, problem } from '../../model/problem.ts'
import { decode, isObject } from '../codec.ts'
import { type Block, blockOf, formOf, hasPlaces, type ReadForm, type Template, templateOf } from './rowLines.ts'
import type { Entry } from './rowWriter.ts'
import { type Column, type Shape, shapeOf, valueAt, withValues } from './shape.ts'
import { type Form, isScalar, type Path, type Scalar } from './template.ts'

/** Parses the lines of `RowWriter`, one by one. */
export interface RowReader {
  /** Parses a line and returns the objects of a block. Other lines return no objects. INPUT.INVALID if the line is not valid. */
  read(json: unknown): Result<readonly Entry[], Problem>
}

export function rowReader(object: string): RowReader {
  const forms: ReadForm[] = []
  const templates: Template[] = []
  const readSamples = samplesReader(object)
  const shareTexts = textSharer()
  const invalid = (rule: string) => err(problem('INPUT.INVALID', `${object}: ${rule}`, { object }))

  function note<Item>(item: Item | string, list: Item[]): Result<readonly Entry[], Problem> {
    if (typeof item === 'string') return invalid(item)
    list.push(item)
    return ok([])
  }

  function readBlock(json: readonly unknown[]): Result<readonly Entry[], Problem> {
    const block = blockOf(json, templates)
    if (typeof block === 'string') return invalid(block)
    const values = block.values.map((column, index) => (isOwnName(block.form.paths[index] ?? []) ? column : shareTexts(column)))
    const all = shapeOf(block.form.paths, values)
    const lacking = readSamples(block, all)
    return lacking === undefined ? ok(entriesOf({ ...block, values }, all)) : err(lacking)
  }

  return {
    read(json) {
      if (Array.isArray(json)) return readBlock(json)
      if (!isObject(json)) return invalid('a line is no part of rows')
      return json['own'] === undefined ? note(templateOf(json, forms), templates) : note(formOf(json), forms)
    },
  }
}

/** Reads a sample for each template of a block that has none yet: the object of the template's row. */
function samplesReader(object: string): (block: Block, shape: Shape) => Problem | undefined {
  const shareParts = partSharer()

  function readSample(template: Template, shape: Shape, row: number): Problem | undefined {
    const read = decode(template.form.codec, withValues(template.common, shape, row), { object })
    if (!read.ok) return read.error
    if (!hasPlaces(read.value, template.form)) return problem('INPUT.INVALID', `${object}: a template of rows loses a value`, { object })
    template.sample = shareParts(read.value, template.form)
    return undefined
  }

  return ({ templates }, shape) => {
    for (let row = 0; row < templates.length; row++) {
      const template = templates[row]
      const lacking = template === undefined || template.sample !== undefined ? undefined : readSample(template, shape, row)
      if (lacking !== undefined) return lacking
    }
    return undefined
  }
}

function entriesOf(block: Block, all: Shape): readonly Entry[] {
  const { rows, form, ats, changeSeqs, values } = block
  const [keys = ''] = values
  const objectAt = objectsOf(block, all)
  const versionAt = versionsOf(block)
  const entries: Entry[] = []
  for (let row = 0; row < rows; row++) {
    const change = {
      seq: valueAt(changeSeqs, row),
      at: valueAt(ats, row),
      key: valueAt(keys, row),
      op: 'put',
      kind: form.kind,
      object: objectAt(row),
    }
    entries.push({ version: versionAt(row), change: change as Change })
  }
  return entries
}

/** Values that all rows of a template have are set in the object that rows are copied from, so that all copies share them. */
function objectsOf({ form, templates, values }: Block, all: Shape): (row: number) => object {
  if (templates.length > 1) return (row) => withValues(templates[row]?.sample ?? {}, all, row)
  const isListed = (_: unknown, index: number): boolean => !isScalar(values[index])
  const listed = shapeOf(form.paths.filter(isListed), values.filter(isListed))
  const base = withValues(templates[0]?.sample ?? {}, all, 0)
  return (row) => withValues(base, listed, row)
}

/** Rows of one change share one version object. */
function versionsOf({ terms, seqs }: Block): (row: number) => Version {
  const at = (row: number): Version => ({ term: Number(valueAt(terms, row)), seq: Number(valueAt(seqs, row)) })
  if (!isScalar(terms) || !isScalar(seqs)) return at
  const one = at(0)
  return () => one
}

/** Reports whether the path is a name that no other object has or refers to. */
function isOwnName(path: Path): boolean {
  const name = path.at(-1)
  return name === 'uid' || name === 'key'
}

/** Returns a function that shares equal parts among samples, so that templates that differ in one part share the others. */
function partSharer(): (sample: object, form: Form) => object {
  const known = new Map<string, unknown>()
  const inOnePiece = pieceMaker()
  return (sample, { own }) => {
    const parts: { [name: string]: unknown } = {}
    for (const [name, part] of Object.entries(sample)) {
      // A frozen part is a default value, which is shared already.
      if (typeof part !== 'object' || Object.isFrozen(part) || own.some(([first]) => first === name)) continue
      const text = isEmpty(part) ? name : `${name} ${JSON.stringify(part)}`
      if (!known.has(text)) known.set(text, part)
      setOwnValue(parts, name, known.get(text))
    }
    return inOnePiece({ ...sample, ...parts })
  }
}

function isEmpty(part: object | null): boolean {
  for (const _ in part) return false
  return part !== null
}

/** Returns a function that keeps each text once in memory: many pods name the same node. */
function textSharer(): (column: Column) => Column {
  const texts = new Map<Scalar, Scalar>()
  const shared = (value: Scalar): Scalar => {
    if (typeof value !== 'string') return value
    const known = texts.get(value)
    if (known !== undefined) return known
    texts.set(value, value)
    return value
  }
  return (column) => (isScalar(column) ? shared(column) : column.map(shared))
}
