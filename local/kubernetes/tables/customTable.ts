import { type Json, type JsonObject, listAt, numberAt, textAt } from '../object/json.ts'
import { compileJsonPath } from '../object/jsonPath.ts'
import { nameOf } from '../object/kubeObject.ts'
import { ageOf } from './age.ts'
import { column, type TableColumn, type TableLayout } from './tableLayout.ts'

interface Printer {
  readonly column: TableColumn
  readonly cell: (object: JsonObject, nowMs: number) => Json | undefined
}

const TYPES = ['string', 'integer', 'number', 'boolean', 'date'] as const

/** Returns the table of `additionalPrinterColumns` in a CustomResourceDefinition. Without columns, it shows name and age. */
export function customTable(version: JsonObject): TableLayout {
  const given = listAt(version, 'additionalPrinterColumns')
  const printers = given.length === 0 ? [agePrinter()] : given.map(printerOf)
  return {
    columns: [column('Name'), ...printers.map((printer) => printer.column)],
    row: (object, nowMs) => [nameOf(object), ...printers.map((printer) => printer.cell(object, nowMs))],
  }
}

function agePrinter(): Printer {
  return printerOf({ name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' })
}

function printerOf(definition: Json): Printer {
  const find = compileJsonPath(textAt(definition, 'jsonPath')) ?? (() => [])
  const type = TYPES.find((candidate) => candidate === textAt(definition, 'type')) ?? 'string'
  return {
    column: column(textAt(definition, 'name'), {
      type,
      format: textAt(definition, 'format'),
      description: textAt(definition, 'description'),
      priority: numberAt(definition, 'priority') ?? 0,
    }),
    cell: (object, nowMs) => cellOf(type, find(object), nowMs),
  }
}

function cellOf(type: TableColumn['type'], found: readonly Json[], nowMs: number): Json | undefined {
  const [first] = found
  if (first === undefined || first === null) return undefined
  switch (type) {
    case 'date':
      return ageOf(first, nowMs)
    case 'integer':
    case 'number':
      return typeof first === 'number' ? first : undefined
    case 'boolean':
      return typeof first === 'boolean' ? first : undefined
    case 'string':
      return found.map((value) => (typeof value === 'string' ? value : JSON.stringify(value))).join(' ')
  }
}
