/** Longer values are not indexed: nobody searches by them. In UTF-16 units, as JavaScript counts. */
export const maxSearchableLength = 512;
