/** The outcome of something that may fail in an expected way: a value, or the error as a value. */
export type Result<Value, Failure> = Ok<Value> | Err<Failure>
export type Ok<Value> = { readonly ok: true; readonly value: Value }
export type Err<Failure> = { readonly ok: false; readonly error: Failure }

export function ok<Value>(value: Value): Ok<Value> {
  return { ok: true, value }
}

export function err<Failure>(error: Failure): Err<Failure> {
  return { ok: false, error }
}

/** Splits many results into the values and the errors, each in the order given. */
export function partition<Value, Failure>(results: Iterable<Result<Value, Failure>>): { values: Value[]; errors: Failure[] } {
  const values: Value[] = []
  const errors: Failure[] = []
  for (const result of results) {
    if (result.ok) values.push(result.value)
    else errors.push(result.error)
  }
  return { values, errors }
}
