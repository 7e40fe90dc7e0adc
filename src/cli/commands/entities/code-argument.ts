/** The argument of every command on one entity. */
export const codeArgument = [{ spelling: '<CODE>', doc: 'code of the entity' }];
