/** The argument of every command on one profile. */
export const loginArgument = { spelling: '<LOGIN>', doc: 'login of the profile' };
