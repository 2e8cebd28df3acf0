"""Knowledge graphs: FActScore* and ValidityScore."""
