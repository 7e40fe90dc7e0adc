/** Reports a violation: the field, the value as it was given, and the broken rule in words. */
export type Refuse = (field: string, value: unknown, rule: string) => void;

/** Validates a given value (never null or empty): returns its canonical form, or undefined after it was refused. */
export type ValueValidator<Given> = (given: Given, refuse: Refuse) => unknown;

/** The validators of one field: for a CSV cell and for a JSON value. */
export interface FieldValidator {
  /** `plain` says that the text is known to be printable ASCII on one line, which saves a check. */
  fromText(text: string, refuse: Refuse, plain?: boolean): unknown;
  fromJson: ValueValidator<unknown>;
}
